import type { ModelInfo } from '../../core/contracts/embedding.ts';

/** Names that the operator gave to embedding models. An alias comes before a model that has this name. */
export interface ModelAliases {
  /** The name of the model that an alias stands for; other names as they are. */
  targetOf(name: string): string;
  /** A name for messages: quoted, and of an alias the model first. */
  describe(name: string): string;
  /** Adds the aliases to the models that they stand for, and drops the names that they hide. */
  addTo<Model extends ModelInfo>(models: readonly Model[]): Model[];
}

/** @param given the names of models by alias */
export function createModelAliases(given: Readonly<Record<string, string>>): ModelAliases {
  const targets = new Map(Object.entries(given));
  const targetOf = (name: string) => targets.get(name) ?? name;

  function withAliases<Model extends ModelInfo>(model: Model): Model {
    const own = (model.aliases ?? []).filter((alias) => !targets.has(alias));
    const names = [model.name, ...(model.aliases ?? [])];
    const further = [...targets].filter(([, target]) => names.includes(target)).map(([alias]) => alias);
    return own.length + further.length === 0 ? model : { ...model, aliases: [...own, ...further] };
  }

  return {
    targetOf,
    describe(name) {
      const target = JSON.stringify(targetOf(name));
      return targets.has(name) ? `${target}, for which ${JSON.stringify(name)} is an alias,` : target;
    },
    addTo: (models) => models.filter(({ name }) => !targets.has(name)).map(withAliases),
  };
}
