/** The topics of the help that are no commands. */
export const topicNames = ['exit-codes', 'formats', 'environment'] as const;
export type TopicName = (typeof topicNames)[number];
