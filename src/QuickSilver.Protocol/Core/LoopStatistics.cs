namespace QuickSilver.Protocol.Core;

/// <summary>Counters of a loop since its start. Written by the core thread only, at the end of each phase.</summary>
internal sealed class LoopStatistics
{
    private readonly TimeSpan[] _time = new TimeSpan[Enum.GetValues<TurnPhase>().Length];

    /// <summary>Number of turns.</summary>
    public ulong Turns { get; internal set; }

    /// <summary>Turns that did any work.</summary>
    public ulong BusyTurns { get; internal set; }

    /// <summary>Requests run.</summary>
    public ulong Requests { get; internal set; }

    /// <summary>Alarms fired.</summary>
    public ulong Alarms { get; internal set; }

    /// <summary>Datagrams sent.</summary>
    public ulong Datagrams { get; internal set; }

    /// <summary>Pauses longer than <see cref="LoopTurn.WarpLimit"/>.</summary>
    public ulong Warps { get; internal set; }

    /// <summary>Phases longer than <see cref="LoopQuanta.StallWarning"/>.</summary>
    public ulong Stalls { get; internal set; }

    /// <summary>The longest turn, waiting not included.</summary>
    public TimeSpan LongestTurn { get; internal set; }

    /// <summary>The longest turn since <see cref="TakeLongestLately"/>.</summary>
    internal TimeSpan LongestLately { get; set; }

    /// <summary>The longest delay with which an alarm has fired.</summary>
    public TimeSpan WorstAlarmDelay { get; internal set; }

    /// <summary>Time spent in a phase.</summary>
    public TimeSpan TimeIn(TurnPhase phase) => _time[(int)phase];

    /// <summary>Time spent in all phases.</summary>
    public TimeSpan TimeInAll
    {
        get
        {
            TimeSpan sum = TimeSpan.Zero;
            foreach (TimeSpan time in _time) sum += time;
            return sum;
        }
    }

    /// <summary>Returns the longest turn since the call before. Core thread only.</summary>
    internal TimeSpan TakeLongestLately()
    {
        TimeSpan longest = LongestLately;
        LongestLately = TimeSpan.Zero;
        return longest;
    }

    internal void AddTime(TurnPhase phase, TimeSpan took) => _time[(int)phase] += took;
}
