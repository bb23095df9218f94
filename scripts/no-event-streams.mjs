/**
 * Stands in for the SDK's streams of events: no call of ours is one. A client that has such calls sets them up all the
 * same; the first use fails.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('This function was built without streams of events.');
  }
}

export const eventStreamSerdeProvider = () => new EventStreamSerde();

export const resolveEventStreamSerdeConfig = (config) => config;
