using QuickSilver.Cli;

return await CommandTree.RunAsync(args);
