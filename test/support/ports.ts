import type { DynamicModule, InjectionToken } from '@nestjs/common';

class Ports {}

/** A module that binds ports to objects of a test, in place of a process's adapters. */
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
