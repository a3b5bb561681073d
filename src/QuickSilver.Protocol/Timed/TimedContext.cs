using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed;

/// <summary>What all timed groups of one node share.</summary>
internal sealed class TimedContext
{
    /// <summary>The longest request or announcement.</summary>
    public const int LongestWord = DatagramHeader.Length + TimedNakBody.MaxLength;

    /// <summary>Limit on the bytes of received packets that are held: for their turn, for partners.</summary>
    public const long MaxHeldBytes = 64L << 20;

    public TimedContext(ModeContext mode, TimedCounters counters, Action wakeIntake)
    {
        Mode = mode;
        Counters = counters;
        WakeIntake = wakeIntake;
        Held = new Arena(mode.Pool, BufferOwner.Cache);
        Joined = new Arena(mode.Pool, BufferOwner.Reassembly);
        Words = new TimedWords(this);
    }

    /// <summary>What the stack gives an engine.</summary>
    public ModeContext Mode { get; }

    public TimedCounters Counters { get; }

    /// <summary>Has messages taken from their sources again.</summary>
    public Action WakeIntake { get; }

    /// <summary>Memory of packets received.</summary>
    public Arena Held { get; }

    /// <summary>Memory of messages joined from fragments, and of this node's own.</summary>
    public Arena Joined { get; }

    /// <summary>Requests and announcements on their way out.</summary>
    public TimedWords Words { get; }

    public Probes Probes => Mode.Probes;

    /// <summary>The step installed last.</summary>
    public StepNumber Installed => Mode.Cluster.Installed;
}
