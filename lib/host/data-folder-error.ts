/** The data folder cannot be used, or not any more. The message names the folder and says what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/** Another process holds the data folder. */
export class DataFolderHeldError extends DataFolderError {}
