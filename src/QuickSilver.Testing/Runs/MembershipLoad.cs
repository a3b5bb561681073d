namespace QuickSilver.Testing.Runs;

/// <summary>What the membership of a run cost.</summary>
/// <param name="Steps">Steps that the last server made.</param>
/// <param name="Work">Time that the code of the servers took, by the clock of the machine: no two runs are
/// alike.</param>
/// <param name="Longest">The longest of it that one event took.</param>
/// <param name="BytesToNodes">Bytes of the frames to nodes.</param>
internal sealed record MembershipLoad(ulong Steps, TimeSpan Work, TimeSpan Longest, long BytesToNodes);
