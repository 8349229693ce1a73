/** The events of `{env}.operation-{name}`, as they are stored: what the operator decided beside the workflow table. */
export type OperationEvent =
  | { type: 'OperationPriced'; data: { credits: number; reason: string; at: string } }
  | { type: 'OperationEnabled'; data: { reason: string; at: string } }
  | { type: 'OperationDisabled'; data: { reason: string; at: string } };
