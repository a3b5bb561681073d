namespace QuickSilver.Cli.Doctor;

/// <summary>A record of the node's log.</summary>
/// <param name="Id">Its id, as docs/monitoring.md lists it.</param>
/// <param name="Text">Its text.</param>
internal sealed record HeardRecord(int Id, string Text);
