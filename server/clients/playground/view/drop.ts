/** Accepts files that are dropped anywhere on the page. */
export function acceptDrops(root: HTMLElement, open: (file: File) => void): void {
  const mark = (event: DragEvent, isOver: boolean) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    root.classList.toggle('dropping', isOver);
  };
  document.addEventListener('dragover', (event) => mark(event, true));
  document.addEventListener('dragleave', (event) => mark(event, false));
  document.addEventListener('drop', (event) => {
    mark(event, false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file !== undefined) open(file);
  });
}
