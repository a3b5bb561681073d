using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Nodes;

/// <summary>
/// Adds up what the work of one turn costs its node, by the <see cref="ProcessorModel"/>, and pushes the node's clock
/// forward by it while the turn lasts. Counts, too, what the turn allocates by the <see cref="MemoryModel"/>, and says
/// at its end which pauses follow.
/// <para>O(1) and without allocation per call. Pauses are drawn per node and ordinal, so one more message moves later
/// pauses but changes none.</para>
/// </summary>
internal sealed class WorkMeter(
    ProcessorModel model, MemoryModel memory, OffsetClock clock, SimulationRandom random, int node)
{
    private const double NanosecondsPerTick = 100;
    private const double Megabyte = 1 << 20;

    private readonly bool _allocates = memory.NurseryBytes > 0;
    private double _nanoseconds;
    private long _allocated;
    private ulong _minors;
    private ulong _preemptions;
    private Instant _nextPreemption = Instant.Never;

    /// <summary>True when reads are charged by the datagram: then the reporter counts them.</summary>
    public bool CountsReads => model.DatagramReadNanoseconds > 0 || _allocates;

    /// <summary>How many times slower than its model the node works; 1: not at all.</summary>
    public int Factor { get; set; } = 1;

    /// <summary>What the application's handler takes for each message.</summary>
    public TimeSpan HandlerTime { get; set; }

    /// <summary>All time of the application's handler so far.</summary>
    public TimeSpan Handled { get; private set; }

    /// <summary>All pauses so far.</summary>
    public TimeSpan Paused { get; private set; }

    /// <summary>All work so far, pauses not included.</summary>
    public TimeSpan Worked { get; private set; }

    /// <summary>Datagrams were handed to the interface.</summary>
    public void OnSent(int datagrams, int bytes)
    {
        _nanoseconds += (model.DatagramSentNanoseconds * datagrams) + (model.ByteSentNanoseconds * bytes);
        if (_allocates) _allocated += (long)memory.AllocatedPerDatagram * datagrams;
        Advance();
    }

    /// <summary>A read has been handled.</summary>
    public void OnHandled(int datagrams, int bytes)
    {
        _nanoseconds += (model.DatagramReadNanoseconds * datagrams) + (model.ByteReadNanoseconds * bytes);
        if (_allocates) _allocated += (long)memory.AllocatedPerDatagram * datagrams;
        Advance();
    }

    /// <summary>The application has sent a message.</summary>
    public void OnMessageSent()
    {
        _nanoseconds += model.MessageSentNanoseconds;
        _allocated += memory.AllocatedPerMessage;
        Advance();
    }

    /// <summary>The application was handed a message.</summary>
    public void OnMessageDelivered()
    {
        _nanoseconds += model.MessageDeliveredNanoseconds;
        if (HandlerTime > TimeSpan.Zero)
        {
            _nanoseconds += HandlerTime.Ticks * NanosecondsPerTick / Factor;
            Handled += HandlerTime;
        }
        _allocated += memory.AllocatedPerMessage;
        Advance();
    }

    /// <summary>A turn is over.</summary>
    /// <param name="bytesMoved">Bytes it sent and read.</param>
    /// <param name="alarms">Alarms it fired.</param>
    /// <returns>What it cost, from its start.</returns>
    public TimeSpan EndTurn(long bytesMoved, ulong alarms)
    {
        _nanoseconds += model.AlarmNanoseconds * alarms;
        TimeSpan coarse = model.PerTurn + (model.PerKilobyte * (bytesMoved / 1000.0));
        TimeSpan cost = Spent + (Factor == 1 ? coarse : coarse * Factor);
        _nanoseconds = 0;
        clock.Ahead = default;
        if (cost <= TimeSpan.Zero) cost = new TimeSpan(1);
        Worked += cost;
        return cost;
    }

    /// <summary>The pauses that follow a turn.</summary>
    /// <param name="now">When the turn ended.</param>
    /// <param name="alive">Bytes that the protocol keeps.</param>
    public TimeSpan PauseAfter(Instant now, long alive)
    {
        TimeSpan pause = default;
        while (_allocates && _allocated >= memory.NurseryBytes)
        {
            _allocated -= memory.NurseryBytes;
            pause += Collect(alive);
        }
        if (memory.PreemptionEvery > TimeSpan.Zero) pause += Preempt(now);
        Paused += pause;
        return pause;
    }

    private TimeSpan Spent => new((long)(_nanoseconds * Factor / NanosecondsPerTick));

    private void Advance() => clock.Ahead = Spent;

    private TimeSpan Collect(long alive)
    {
        _minors++;
        if (memory.MinorsPerFull > 0 && _minors % (ulong)memory.MinorsPerFull == 0)
        {
            return memory.FullBase + (memory.FullPerMegabyte * ((alive + memory.LiveBytes) / Megabyte));
        }
        // The fourth power of an even draw: half of the pauses lie in the first sixteenth of the range.
        double draw = random.DrawUnit(RandomStream.Collector, (ulong)node, 0, _minors);
        return memory.MinorShortest + ((memory.MinorLongest - memory.MinorShortest) * (draw * draw * draw * draw));
    }

    private TimeSpan Preempt(Instant now)
    {
        if (_nextPreemption == Instant.Never) _nextPreemption = now + UntilNextPreemption();
        if (now < _nextPreemption) return default;
        double draw = random.DrawUnit(RandomStream.Processor, (ulong)node, 1, _preemptions);
        TimeSpan pause = memory.PreemptionShortest + ((memory.PreemptionLongest - memory.PreemptionShortest) * draw);
        _preemptions++;
        _nextPreemption = now + pause + UntilNextPreemption();
        return pause;
    }

    private TimeSpan UntilNextPreemption() =>
        memory.PreemptionEvery * -Math.Log(1 - random.DrawUnit(RandomStream.Processor, (ulong)node, 0, _preemptions));
}
