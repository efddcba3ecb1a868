// The client of `asplan lsp`: it starts the server, and shows its answers.

const fs = require("fs");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The commands of the server, by the commands of this extension. */
const COMMANDS = {
  "asplan.solveFile": "asplan.solve",
  "asplan.playFile": "asplan.play",
  "asplan.explainFile": "asplan.explain",
  "asplan.profileFile": "asplan.profile",
};

let client;
let panel;
let output;

function makeClient() {
  const [command, ...args] = vscode.workspace.getConfiguration("asplan").get("command");
  return new LanguageClient(
    "asplan",
    "asplan",
    { command, args },
    {
      documentSelector: [{ language: "asp" }, { language: "pddl" }],
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.lp,*.pddl,asplan.toml}"),
      },
      initializationOptions: { showsPages: true },
      middleware: { executeCommand: runCommand },
    },
  );
}

/** Save the files, run a command of the server, and show its answer. */
async function runCommand(command, args, next) {
  await vscode.workspace.saveAll(false);
  const title = command.replace("asplan.", "asplan ");
  const where = { location: vscode.ProgressLocation.Window, title };
  const answer = await vscode.window.withProgress(where, () => next(command, args));
  show(answer);
  return answer;
}

/** Show an answer: a page in the plan view, everything else as text. */
function show(answer) {
  if (!answer) {
    return;
  }
  if (answer.page) {
    showPage(answer.page);
  }
  output.clear();
  output.append(textOf(answer));
  if (!answer.page) {
    output.show(true);
  }
}

function textOf(answer) {
  if (typeof answer === "string") {
    return answer;
  }
  const lines = [`${answer.outcome ?? "done"} ${answer.proof ? `(${answer.proof})` : ""}`];
  lines.push(...(answer.plan?.entries ?? []));
  return lines.join("\n") + "\n";
}

/** Show the page with the player beside the text. */
function showPage(file) {
  if (!panel) {
    panel = vscode.window.createWebviewPanel(
      "asplan.plan",
      "Plan",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, retainContextWhenHidden: true },
    );
    panel.onDidDispose(() => (panel = undefined));
  }
  panel.webview.html = fs.readFileSync(file, "utf8");
}

/** Run a command of the server for the file that is being edited. */
async function runForFile(command) {
  const document = vscode.window.activeTextEditor?.document;
  if (document && client) {
    await vscode.commands.executeCommand(command, document.uri.toString());
  }
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    const hint = "install it with pip install 'asplan[editor]', or set asplan.command";
    vscode.window.showErrorMessage(`asplan lsp does not start: ${error.message ?? error}; ${hint}`);
  }
}

async function activate(context) {
  output = vscode.window.createOutputChannel("asplan plan");
  context.subscriptions.push(output);
  for (const [own, command] of Object.entries(COMMANDS)) {
    context.subscriptions.push(vscode.commands.registerCommand(own, () => runForFile(command)));
  }
  context.subscriptions.push(
    vscode.commands.registerCommand("asplan.restart", async () => {
      await client?.dispose();
      await start();
    }),
  );
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
