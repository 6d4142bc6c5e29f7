/** The parts of a page that this function uses, which runs in the browser. */
declare const document: {
  getElementById(id: string): Element;
  readonly documentElement: unknown;
};
declare const Redoc: { init(spec: object, options: object, element: Element): void };
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(event: 'change', listener: () => void): void;
};
interface Element {
  replaceChildren(...children: Element[]): void;
}

/**
 * Draws Redoc with the server's document, dark where the browser is. It is sent as text, so it uses nothing outside
 * itself. Long lists of numbers in examples are cut, because Redoc makes an element of every number.
 */
export async function startRedoc(): Promise<void> {
  const shortened = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const isLong = value.length > 8 && value.every((one) => typeof one === 'number');
      return isLong ? [...value.slice(0, 4), `… ${value.length - 4} more`] : value.map(shortened);
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
  };
  const text = { primary: '#d5dadd', secondary: '#a5afb5' };
  const dark = {
    colors: {
      text,
      primary: { main: '#8ab4f8' },
      success: { main: '#81c995' },
      error: { main: '#f28b82' },
      border: { light: '#3b4449', dark: '#3b4449' },
      responses: {
        success: { color: '#81c995', tabTextColor: '#81c995' },
        error: { color: '#f28b82', tabTextColor: '#f28b82' },
      },
    },
    schema: { nestedBackground: '#23292c', linesColor: '#55636b', typeNameColor: '#a5afb5' },
    sidebar: { backgroundColor: '#181b1d', textColor: text.primary, activeTextColor: '#8ab4f8' },
    rightPanel: { backgroundColor: '#14181a' },
    typography: { code: { color: '#f28b82', backgroundColor: '#2a3135' }, links: { color: '#8ab4f8' } },
    fab: { backgroundColor: '#2a3135', color: '#8ab4f8' },
  };
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const answer = await fetch('openapi.json');
  const spec = shortened(await answer.json()) as object;
  const draw = () => {
    const options = {
      hideDownloadButton: true,
      disableSearch: true,
      sideNavStyle: 'path-only',
      theme: scheme.matches ? dark : {},
    };
    Redoc.init(spec, options, document.getElementById('redoc'));
  };
  draw();
  scheme.addEventListener('change', draw);
}
