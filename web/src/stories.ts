export interface Step { link: string; text: string; facts: unknown[] }
export interface Story { id: string; title: string; about: string; steps: Step[] }
export const STORIES: Story[] = [];
