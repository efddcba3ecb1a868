// What the page of the studio uses of CodeMirror; all else is left out of the bundle.

export { autocompletion, completeAnyWord, completionKeymap } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
export { Annotation, EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
export {
  Decoration, EditorView, GutterMarker, WidgetType, gutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
export { tags } from "@lezer/highlight";
