namespace QuickSilver.Fuzz.Targets;

/// <summary>Something that reads what strangers send.</summary>
internal abstract class FuzzTarget
{
    /// <summary>Its word on the command line.</summary>
    public abstract string Name { get; }

    /// <summary>Real inputs: each is accepted.</summary>
    public abstract byte[][] Valid { get; }

    /// <summary>The longest input that is tried.</summary>
    public virtual int MaxLength => 2048;

    /// <summary>True when inputs are datagrams whose checksums are repaired in most cases, so that parsing goes
    /// deep.</summary>
    public virtual bool IsDatagram => false;

    /// <summary>Bytes that reading an input may allocate. A decoder that writes into what is there allocates
    /// none.</summary>
    /// <param name="length">The input's.</param>
    /// <param name="isAccepted">Whether it was accepted.</param>
    public virtual long Allowance(int length, bool isAccepted) => 0;

    /// <summary>Reads an input, and all that was read from it.</summary>
    /// <returns>True when it was accepted.</returns>
    /// <exception cref="FuzzException">What was accepted makes no sense, or what was refused has left a
    /// trace.</exception>
    public abstract bool Try(Span<byte> input);

    /// <summary>Fails.</summary>
    protected static void Require(bool holds, string what)
    {
        if (!holds) throw new FuzzException(what);
    }
}
