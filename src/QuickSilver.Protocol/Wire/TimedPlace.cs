namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Where a sender's packets of one step begin in a timed group. A receiver that joined with that step starts exactly
/// there.
/// </summary>
/// <param name="Step">The step in which the packets were bound.</param>
/// <param name="First">Sequence of the first packet of the step.</param>
/// <param name="FirstNumber">Number of the first message of the step.</param>
/// <param name="Previous">The step of the packet before; none when there was none.</param>
internal readonly record struct TimedPlace(StepNumber Step, ulong First, ulong FirstNumber, StepNumber Previous)
{
    /// <summary>The longest form on the wire.</summary>
    public const int MaxLength = 1 + (2 * (10 + 10 + 8)) + 20;

    /// <summary>The highest sequence of a packet.</summary>
    public const ulong MaxSequence = (1UL << 48) - 1;

    private const byte ForeignStep = 1;
    private const byte ForeignPrevious = 2;

    /// <summary>
    /// Writes the place.
    /// <code>
    /// flags      1 byte   bit 0: the step is in another epoch than the view; bit 1: the previous step is
    /// step       varint   counter, at least 1; with bit 0: term varint, server 8 bytes
    /// first      varint   packets between the first of the step and the one that the datagram is about
    /// number     varint   messages likewise
    /// previous   varint   counter; 0: there was none; with bit 1: term varint, server 8 bytes
    /// </code>
    /// </summary>
    /// <param name="writer">The body.</param>
    /// <param name="epoch">Epoch of the view.</param>
    /// <param name="sequence">The packet that the datagram is about.</param>
    /// <param name="number">Its message.</param>
    public void WriteTo(ref WireWriter writer, Epoch epoch, ulong sequence, ulong number)
    {
        bool isForeign = Step.Epoch != epoch;
        bool isPreviousForeign = !Previous.IsNone && Previous.Epoch != epoch;
        writer.WriteByte((byte)((isForeign ? ForeignStep : 0) | (isPreviousForeign ? ForeignPrevious : 0)));
        WriteStep(ref writer, Step, isForeign);
        writer.WriteVarint(sequence - First);
        writer.WriteVarint(number - FirstNumber);
        WriteStep(ref writer, Previous, isPreviousForeign);
    }

    /// <summary>Reads a place; a bad one fails the reader.</summary>
    /// <param name="reader">The body.</param>
    /// <param name="epoch">Epoch of the view.</param>
    /// <param name="sequence">The packet that the datagram is about.</param>
    /// <param name="number">Its message.</param>
    public static TimedPlace Read(scoped ref WireReader reader, Epoch epoch, ulong sequence, ulong number)
    {
        byte flags = reader.ReadByte();
        if ((flags & ~(ForeignStep | ForeignPrevious)) != 0) reader.Fail();
        StepNumber step = ReadStep(ref reader, epoch, (flags & ForeignStep) != 0);
        ulong packets = reader.ReadVarint();
        ulong messages = reader.ReadVarint();
        StepNumber previous = ReadStep(ref reader, epoch, (flags & ForeignPrevious) != 0);
        bool isForeignNone = previous.IsNone && (flags & ForeignPrevious) != 0;
        bool isBeyond = sequence > MaxSequence || packets >= sequence || messages >= number;
        if (reader.Failed || step.IsNone || isForeignNone || isBeyond)
        {
            reader.Fail();
            return default;
        }
        ulong first = sequence - packets;
        bool isConsistent = previous.IsNone ? first == 1 : first > 1 && number - messages > 1 && previous < step;
        if (!isConsistent) reader.Fail();
        return new TimedPlace(step, first, number - messages, previous);
    }

    private static void WriteStep(ref WireWriter writer, StepNumber step, bool isForeign)
    {
        writer.WriteVarint(step.Counter);
        if (!isForeign) return;
        writer.WriteVarint(step.Epoch.Term);
        writer.WriteUInt64(step.Epoch.Server);
    }

    private static StepNumber ReadStep(scoped ref WireReader reader, Epoch epoch, bool isForeign)
    {
        ulong counter = reader.ReadVarint();
        if (!isForeign) return counter == 0 ? default : new StepNumber(epoch, counter);
        var other = new Epoch(reader.ReadVarint(), reader.ReadUInt64());
        if (other == epoch) reader.Fail();
        return counter == 0 ? default : new StepNumber(other, counter);
    }
}
