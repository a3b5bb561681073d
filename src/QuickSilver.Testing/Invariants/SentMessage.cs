using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Invariants;

/// <summary>What is known of one message: written when it is admitted, completed by its ticket.</summary>
internal struct SentMessage
{
    /// <summary>Its length in bytes.</summary>
    public int Length;

    /// <summary>CRC-32C of its bytes.</summary>
    public uint Checksum;

    /// <summary>When the application handed it over.</summary>
    public Instant Admitted;

    /// <summary>Step that brought the group view it is sent in; none until it is numbered, and for messages of a
    /// source, which have no ticket.</summary>
    public StepNumber GroupView;

    /// <summary>In a timed group, the step in which it was taken.</summary>
    public StepNumber Step;

    /// <summary>In a timed group, how long it is worth anything.</summary>
    public TimeSpan Life;

    /// <summary>In a timed group, what it is about; null: nothing.</summary>
    public ulong? Key;

    /// <summary>True once it has its number.</summary>
    public bool IsNumbered;

    /// <summary>True once its sender was told that every live member holds it.</summary>
    public bool IsStable;
}
