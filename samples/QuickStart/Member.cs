using QuickSilver.Samples;
using QuickSilver.Samples.Processes;

namespace QuickStart;

/// <summary>One program of the run.</summary>
internal sealed class Member
{
    private ProgressReport _progress = new("starting", 0);

    public ChildProcess Process { get; set; } = null!;

    /// <summary>Where it writes its report.</summary>
    public required string ReportPath { get; init; }

    /// <summary>How far it said it was. Any thread.</summary>
    public ProgressReport Progress
    {
        get => Volatile.Read(ref _progress);
        set => Volatile.Write(ref _progress, value);
    }
}
