/** Shows a conversation as it grows. */
import { useSyncExternalStore } from 'react';
import type { ConversationState } from './conversation';
import type { Conversation } from './openConversation';

export function useConversation(conversation: Conversation): ConversationState {
  return useSyncExternalStore(conversation.subscribe, conversation.current);
}
