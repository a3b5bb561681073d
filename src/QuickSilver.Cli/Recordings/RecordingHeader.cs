namespace QuickSilver.Cli.Recordings;

/// <summary>What a recording says of itself at its beginning.</summary>
/// <param name="Start">When it began, by the clock of the recorder's machine.</param>
/// <param name="Mode">The mode of the group, by the words of the option --mode.</param>
/// <param name="Cluster">Name of the cluster.</param>
/// <param name="Group">Name of the group.</param>
internal sealed record RecordingHeader(DateTimeOffset Start, string Mode, string Cluster, string Group);
