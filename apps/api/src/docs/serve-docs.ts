import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openApiDocument } from './openapi-document.js';

/** `/openapi.json`, and `/docs` to browse it: the user interface comes from our own disk, and asks nobody else. */
export function serveDocs(app: NestFastifyApplication): void {
  let document: OpenAPIObject | undefined;
  const later = () => (document ??= openApiDocument(app));
  SwaggerModule.setup('docs', app, later, {
    raw: ['json'],
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Atelier',
    swaggerOptions: { validatorUrl: null, persistAuthorization: false, displayRequestDuration: true },
  });
}
