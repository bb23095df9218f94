import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { TickEventDetailType, TickEventSource } from '../../functions/environment.ts';
import { once } from './once.ts';

/**
 * Where early ticks are asked for. A bus of its own, so that deployments in one account do not wake each other, and so
 * that whoever may ask here may do nothing else.
 */
export class HintBus extends Construct {
  readonly name: string;
  readonly #bus: EventBus;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#bus = new EventBus(this, 'Bus');
    this.name = this.#bus.eventBusName;
  }

  /** Lets the function be woken by hints. */
  wake(handler: IFunction): void {
    const source: TickEventSource = 'evenkeel';
    const detailType: TickEventDetailType = 'Tick Requested';
    new Rule(this, 'TickRequested', {
      eventBus: this.#bus,
      description: 'A hint asks for an early tick',
      eventPattern: { source: [source], detailType: [detailType] },
      targets: [new LambdaFunction(handler, once)],
    });
  }

  grantAsk(grantee: IGrantable): void {
    Grant.addToPrincipal({ grantee, actions: ['events:PutEvents'], resourceArns: [this.#bus.eventBusArn] });
  }
}
