import { checkboxText, type Item } from './content.ts';
import type { XmlCursor } from './cursor.ts';
import { isOn, valOf } from './styles.ts';

interface Field {
  /** The address of a link; undefined for other fields. */
  href: string | undefined;
  /** Whether the box of the field's form is checked. */
  readonly isChecked: boolean;
  isCheckbox: boolean;
  isParsed: boolean;
}

/** A drop-down list whose choice is not written yet: a program may have written the choice as text. */
interface DropDown {
  readonly item: Item;
  readonly choice: string;
  marks: number;
  hasText: boolean;
}

const LINK = /^\s*HYPERLINK\s+(\\l\s+)?(?:"(.*)"|([^\\]\S*))/;

/** Follows the fields that consist of several elements: a begin, an instruction, a result and an end. */
export class Fields {
  readonly #open: Field[] = [];
  #instruction = '';
  #dropDowns: DropDown[] = [];
  /** The address of the innermost link whose result is being read; empty for a link within the document. */
  link: string | undefined;

  instruct(instruction: string): void {
    this.#instruction += instruction;
  }

  /** Notices text between two marks. */
  see(text: string): void {
    if (this.#dropDowns.length > 0 && /\S/.test(text))
      for (const dropDown of this.#dropDowns) dropDown.hasText = true;
  }

  /** Reads a mark, the current element. @param item gets the text that is shown for the field, perhaps at a later mark */
  mark(xml: XmlCursor, item: Item): void {
    const type = xml.attribute('fldCharType');
    this.#settle(type === 'end');
    const { isChecked, choice } = readForm(xml);
    if (choice !== undefined) this.#dropDowns.push({ item, choice, marks: 0, hasText: false });
    if (type === 'begin') {
      this.#open.push({ href: undefined, isChecked, isCheckbox: false, isParsed: false });
      this.#instruction = '';
    } else if (type === 'separate') this.#parse(this.#open.at(-1));
    else if (type === 'end') {
      const field = this.#open.pop();
      this.#parse(field);
      if (field?.isCheckbox === true) item.text = checkboxText(field.isChecked);
    } else return;
    this.link = this.#open.findLast(({ href }) => href !== undefined)?.href;
  }

  /** Writes the choices of lists whose fields have no end. */
  end(): void {
    for (const { item, choice } of this.#dropDowns) item.text = choice;
  }

  #settle(isEnd: boolean): void {
    if (this.#dropDowns.length === 0) return;
    this.#dropDowns = this.#dropDowns.filter((dropDown) => {
      const isOpen = ++dropDown.marks < 2 && !isEnd;
      if (!isOpen && !dropDown.hasText) dropDown.item.text = dropDown.choice;
      return isOpen;
    });
  }

  #parse(field: Field | undefined): void {
    if (field === undefined || field.isParsed) return;
    field.isParsed = true;
    const link = LINK.exec(this.#instruction);
    if (link !== null) field.href = link[1] === undefined ? (link[2] ?? link[3] ?? '') : '';
    else field.isCheckbox = this.#instruction.includes('FORMCHECKBOX');
  }
}

/** Reads the form of a field from its first mark. */
function readForm(xml: XmlCursor): { readonly isChecked: boolean; readonly choice: string | undefined } {
  let isChecked = false;
  let choice: string | undefined;
  for (const mark = xml.depth; xml.next(mark); )
    for (const form = xml.depth; xml.next(form); ) {
      if (xml.name === 'w:checkBox') isChecked = isBoxChecked(xml);
      else if (xml.name === 'w:ddList') choice = choiceIn(xml);
    }
  return { isChecked, choice };
}

function isBoxChecked(xml: XmlCursor): boolean {
  const values = valuesIn(xml);
  return isOn(values.get('w:checked')?.[0] ?? values.get('w:default')?.[0]);
}

function choiceIn(xml: XmlCursor): string {
  const values = valuesIn(xml);
  const chosen = Number(values.get('w:result')?.[0] ?? values.get('w:default')?.[0] ?? 0);
  return values.get('w:listEntry')?.[chosen] ?? '';
}

function valuesIn(xml: XmlCursor): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const { depth } = xml;
  while (xml.next(depth)) {
    const known = values.get(xml.name);
    if (known === undefined) values.set(xml.name, [valOf(xml)]);
    else known.push(valOf(xml));
  }
  return values;
}
