/** An answer of the service that says no. */
export class EcsFault extends Error {
  readonly type: string;
  readonly status: number;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(type: string, message: string, more: Readonly<Record<string, unknown>> = {}, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
    this.more = more;
  }
}

export function invalid(message: string): EcsFault {
  return new EcsFault('InvalidParameterException', message);
}
