/** Chroma's own server is what this sink is held to its promises with: see `processes/`. */
export default async (): Promise<string> => 'npm run test:all checks it with a real server';
