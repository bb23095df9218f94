import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  HttpApi,
  type HttpMethod,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { explain } from './explain.ts';

export interface HttpEndpointProps {
  readonly logRetention: RetentionDays;
}

export interface ServedRoute {
  readonly method: HttpMethod;
  readonly path: string;
  readonly handler: IFunction;
  /** Requests per second over all callers, and how many at once; what exceeds them is answered 429. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** How the handler itself knows that a caller may ask. */
  readonly authorisation: string;
}

/** The one address of a deployment. Each route has a limit of its own, so that a flood on one leaves the others alone. */
export class HttpEndpoint extends Construct {
  /** https, without a slash at its end. */
  readonly url: string;
  readonly #api: HttpApi;
  readonly #stage: HttpStage;
  readonly #limits: Record<string, object> = {};

  constructor(scope: Construct, id: string, props: HttpEndpointProps) {
    super(scope, id);
    this.#api = new HttpApi(this, 'Api', { createDefaultStage: false });
    const logGroup = new LogGroup(this, 'AccessLogs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#stage = new HttpStage(this, 'Stage', {
      httpApi: this.#api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: 10, burstLimit: 20 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        format: AccessLogFormat.custom(JSON.stringify(accessLine)),
      },
    });
    const stage = this.#stage.node.defaultChild as CfnStage;
    stage.routeSettings = this.#limits;
    this.url = this.#api.apiEndpoint;
  }

  serve(id: string, { method, path, handler, throttle, authorisation }: ServedRoute): void {
    const routes = this.#api.addRoutes({
      path,
      methods: [method],
      integration: new HttpLambdaIntegration(id, handler),
    });
    this.#limits[`${method} ${path}`] = {
      ThrottlingRateLimit: throttle.rate,
      ThrottlingBurstLimit: throttle.burst,
    };
    for (const route of routes) this.#settle(route, authorisation);
  }

  #settle(route: HttpRoute, authorisation: string): void {
    // The stage's settings name the route, which the service must know by then.
    this.#stage.node.addDependency(route);
    explain(route, { 'AwsSolutions-APIG4': authorisation });
  }
}

/** Who asked for what and how that went; nothing of what was sent. */
const accessLine = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
};
