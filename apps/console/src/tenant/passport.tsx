import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Passport } from '../shared/passport.js';
import { Empty, isRefusal, Loaded, Section } from '../shared/ui.js';
import { keySession, useAsked } from './api.js';
import { Download } from './download.js';

const lead = 'Where the picture comes from, link by link.';

/** The passport on the page of a job. */
export function PassportSection({ jobId }: { jobId: string }) {
  return (
    <Section title="Passport" lead={lead} actions={<Pdf jobId={jobId} />}>
      <OwnPassport jobId={jobId} />
    </Section>
  );
}

/** The passport beside a picture in a list. */
export function PassportButton({ jobId }: { jobId: string }) {
  return (
    <DialogTrigger>
      <Button className="button plain small">Passport</Button>
      <ModalOverlay className="veil" isDismissable>
        <Modal className="modal wide">
          <Dialog>
            {({ close }) => (
              <div className="body">
                <Heading slot="title">Passport</Heading>
                <p className="soft">{lead}</p>
                <OwnPassport jobId={jobId} />
                <div className="actions">
                  <Pdf jobId={jobId} />
                  <Button className="button primary small" onPress={close}>
                    Close
                  </Button>
                </div>
              </div>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}

function OwnPassport({ jobId }: { jobId: string }) {
  const query = useAsked(
    ['passport', jobId],
    (atelier, signal) => atelier.get('/v1/renders/{public_id}/passport', { public_id: jobId, signal }),
    { staleTime: 60_000 },
  );
  if (isRefusal(query.error) && query.error.error.code === 'RESOURCE_NOT_FOUND')
    return <Empty>A batch has no passport. Each of its photographs has one, on its own page.</Empty>;
  return (
    <Loaded query={query} lines={5}>
      {(passport) => <Passport of={passport} />}
    </Loaded>
  );
}

/** The passport as a page to print. */
function Pdf({ jobId }: { jobId: string }) {
  const read = async () => {
    const headers = { authorization: `Bearer ${keySession.key ?? ''}`, accept: 'application/pdf' };
    const answer = await fetch(`/v1/renders/${jobId}/passport`, { headers });
    if (!answer.ok) throw await answer.json();
    return answer.blob();
  };
  return <Download label="Download PDF" as={`passport-${jobId}.pdf`} read={read} />;
}
