using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Delivery;

/// <summary>One message that cannot be delivered yet: whole, or in fragments.</summary>
/// <param name="Number">Its number.</param>
/// <param name="Bytes">A whole message's bytes, with one reference.</param>
/// <param name="Parts">Fragments; null for a whole message.</param>
internal readonly record struct HeldMessage(ulong Number, Slice Bytes, Reassembly? Parts)
{
    /// <summary>What an entry or a fragment is charged beside its bytes: about what keeping it costs.</summary>
    public const int Overhead = 64;

    public bool IsComplete => Parts is null || Parts.IsComplete;

    /// <summary>What the message is charged against the cap.</summary>
    public long Charge => Parts is null ? Bytes.Length + Overhead : Parts.Received + ((long)Parts.Count * Overhead);
}
