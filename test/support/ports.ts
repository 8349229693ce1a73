import type { DynamicModule, InjectionToken } from '@nestjs/common';

class Ports {}

/** A module that binds ports to what a test has, where a process would have its adapters. */
export function portsOf(
  ...bound: readonly (readonly [port: InjectionToken, value: unknown])[]
): DynamicModule {
  return {
    module: Ports,
    global: true,
    providers: bound.map(([provide, useValue]) => ({ provide, useValue })),
    exports: bound.map(([port]) => port),
  };
}
