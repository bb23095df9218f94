/**
 * Stands in for the SDK's memory of discovered endpoints: discovery is for clients that are told to use it, and the
 * functions' are not. With it come a cache library and its own.
 */
export class EndpointCache {}
