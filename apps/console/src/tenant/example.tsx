import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { many } from '../shared/format.js';
import { Problem } from '../shared/ui.js';
import { refusalIn } from './api.js';
import { useShowPicture } from './choices.js';
import type { DescribedWorkflow, OrderBody } from './body-schema.js';
import { make, withSamples, type Garment, type Made } from './samples.js';

interface ExampleState {
  readonly name?: string;
  readonly busy?: string;
  readonly missing?: readonly Made[];
  readonly error?: unknown;
}

/**
 * Buttons that fill in the form, also with pictures. The note shows progress, or that a picture has to be made
 * first.
 * @param sample brings the first example at once, with this photograph
 */
export function useExamples(
  { name: workflow, schema, examples = {} }: DescribedWorkflow,
  prices: Readonly<Record<Made, number | undefined>>,
  fill: (body: OrderBody) => void,
  sample?: Garment,
): { buttons: ReactNode; note: ReactNode } {
  const [state, setState] = useState<ExampleState>({});
  const queries = useQueryClient();
  const show = useShowPicture();
  const bring = async (name: string) => {
    setState({ name, busy: 'Bringing sample pictures…' });
    try {
      const { body, missing } = await withSamples(
        workflow,
        schema,
        examples[name]?.value ?? {},
        show,
        sample,
      );
      fill(body);
      setState({ name, missing });
    } catch (error) {
      setState({ name, error: refusalIn(error) });
    }
  };
  const makeMissing = async ({ name = '', missing = [] }: ExampleState) => {
    setState({ name, missing, busy: 'Drawing what is missing…' });
    try {
      await Promise.all(missing.map(make));
      await queries.invalidateQueries();
      await bring(name);
    } catch (error) {
      setState({ name, missing, error: refusalIn(error) });
    }
  };
  const brought = useRef(false);
  useEffect(() => {
    const [first] = Object.keys(examples);
    if (sample === undefined || first === undefined || brought.current) return;
    brought.current = true;
    void bring(first);
  });
  const buttons = Object.keys(examples).map((each) => (
    <Button
      key={each}
      className="button small"
      isDisabled={state.busy !== undefined}
      onPress={() => void bring(each)}
    >
      Example: {each.replaceAll('_', ' ')}
    </Button>
  ));
  return { buttons, note: <Note state={state} prices={prices} makeThem={() => void makeMissing(state)} /> };
}

interface NoteParts {
  readonly state: ExampleState;
  readonly prices: Readonly<Record<Made, number | undefined>>;
  readonly makeThem: () => void;
}

function Note({ state: { busy, missing = [], error }, prices, makeThem }: NoteParts) {
  if (error !== undefined) return <Problem error={error} sought />;
  if (busy !== undefined)
    return (
      <p className="soft" role="status">
        {busy}
      </p>
    );
  if (missing.length === 0) return null;
  const what = missing.map((each) => `a ${each}`).join(' and ');
  const credits = missing.reduce((sum, each) => sum + (prices[each] ?? 0), 0);
  return (
    <div className="problem mild" role="status">
      <span>This example also needs {what} that was made here, and you have none yet.</span>
      <Button className="button small" onPress={makeThem}>
        Make {what}, {many(credits, 'credit')}
      </Button>
    </div>
  );
}
