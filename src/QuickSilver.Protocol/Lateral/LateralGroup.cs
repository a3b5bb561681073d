using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>One lateral group at this node: its sessions, its receptions, and its own sending state.</summary>
/// <param name="id">Counter of the group's id.</param>
/// <param name="settings">The settings of its first session.</param>
internal sealed class LateralGroup(uint id, LateralSettings settings)
{
    private const int Smoothing = 8;

    public uint Id { get; } = id;

    public LateralSettings Settings { get; set; } = settings;

    /// <summary>The session as a member; null: none.</summary>
    public ModeSession? Member { get; set; }

    /// <summary>The session as a publisher; null: none.</summary>
    public ModeSession? Publisher { get; set; }

    /// <summary>How long others' bins with packets of the group take to fill, smoothed; null: none has come.</summary>
    public TimeSpan? Fill { get; private set; }

    /// <summary>Index in the node's list of groups that it repairs; -1: not in it.</summary>
    public int Index { get; set; } = -1;

    /// <summary>What the session as a member has of each sender.</summary>
    public List<Reception> Receptions { get; } = [];

    /// <summary>The step in which this node last sent.</summary>
    public StepNumber Step { get; set; }

    /// <summary>The number of the first message in that step.</summary>
    public ulong FirstInStep { get; set; }

    /// <summary>The step of the message before that one.</summary>
    public StepNumber Before { get; set; }

    /// <summary>The number of the last message sent.</summary>
    public ulong LastSent { get; set; }

    /// <summary>How often it has been reported; more than the last report needs: none is due.</summary>
    public int Reports { get; set; } = int.MaxValue;

    /// <summary>When the next report is due.</summary>
    public Core.Instant ReportDue { get; set; }

    /// <summary>A repair with packets of the group has come, from a bin that took a time to fill.</summary>
    public void NoteFill(TimeSpan fill) => Fill = Fill is { } known ? known + ((fill - known) / Smoothing) : fill;
}
