/** The media type of server-sent events. */
export const EVENTS = 'text/event-stream';
