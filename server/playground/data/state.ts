import type { Catalogue } from './catalogue.ts';
import type { Run, Setting, Unit } from './model.ts';

/** A chunk of a setting that is looked at. */
export interface Selection {
  /** Letter of the setting. */
  readonly setting: string;
  readonly chunk: number;
}

export interface State {
  readonly catalogue: Catalogue | undefined;
  /** Why the catalogue is not there. */
  readonly problem: string | undefined;
  readonly needsKey: boolean;
  readonly text: string;
  /** Name of the file or sample that the text is of. */
  readonly source: string;
  readonly isEditing: boolean;
  readonly settings: readonly Setting[];
  readonly runs: ReadonlyMap<string, Run>;
  readonly selection: Selection | undefined;
  /** The setting that is shown where there is room for one. */
  readonly active: string;
  readonly unit: Unit;
  readonly showsDifferences: boolean;
  /** The setting whose options are open. */
  readonly opened: string | undefined;
  /** Price for a million tokens that the user typed. */
  readonly price: string;
  /** What was done last, for a moment. */
  readonly notice: string;
}
