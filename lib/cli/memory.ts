/** What was told last, topic by topic. */
export interface Memory {
  /** Whether this is something else than what was told last of the topic; it counts as told now. */
  isNews(topic: string, told: string): boolean;
  /** Forgets the topics that do not stand in `kept`, so that they are news again when they come back. */
  keepOnly(kept: ReadonlySet<string>): void;
}

export function makeMemory(): Memory {
  const told = new Map<string, string>();
  return {
    isNews(topic, text) {
      if (told.get(topic) === text) return false;
      told.set(topic, text);
      return true;
    },
    keepOnly(kept) {
      for (const topic of told.keys()) if (!kept.has(topic)) told.delete(topic);
    },
  };
}
