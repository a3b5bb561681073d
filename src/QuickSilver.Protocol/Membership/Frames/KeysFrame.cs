using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The keys of the views that the next step opens to the receiver: one entry for each, in the order of the step.
/// <code>
/// kind      byte
/// views     varint   number of views
/// each:
///   view      varint   counter of the view
///   form      byte     1: the receiver is a member; 0: it only sends there
///   cipher    byte     SealCipher, one that the receiver has
///   secret    32 bytes of the view, or of the receiver as a sender
///   gate      16 bytes of the gate's key; absent for members
/// </code>
/// The frame travels only over channels that are authenticated and encrypted.
/// </summary>
internal static class KeysFrame
{
    private const int ShortestEntry = 3 + ICryptoSuite.KeyBytes;

    /// <summary>Writes one entry.</summary>
    public static void WriteEntry(FrameBuilder frame, uint view, in ViewSecret secret)
    {
        frame.WriteVarint(view).WriteByte(secret.IsMembers ? (byte)1 : (byte)0);
        frame.WriteByte((byte)secret.Cipher).WriteBytes(secret.Secret);
        if (secret.Gate is { } gate) frame.WriteBytes(gate);
    }

    /// <summary>Reads a body; null when it is malformed.</summary>
    public static List<Entry>? TryRead(ref WireReader reader)
    {
        int count = FrameFields.ReadCount(ref reader, ShortestEntry);
        var entries = new List<Entry>(count);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            uint view = FrameFields.ReadCounter(ref reader);
            byte form = reader.ReadByte();
            var cipher = (SealCipher)reader.ReadByte();
            if (form > 1 || !SealCiphers.IsKnown(cipher)) reader.Fail();
            byte[] secret = reader.ReadBytes(ICryptoSuite.KeyBytes).ToArray();
            byte[]? gate = form == 1 ? null : reader.ReadBytes(SipHash.KeyBytes).ToArray();
            entries.Add(new Entry(view, new ViewSecret(cipher, secret, gate)));
        }
        return reader.IsAtEnd ? entries : null;
    }

    /// <summary>The keys of one view as read.</summary>
    /// <param name="View">Counter of the view.</param>
    /// <param name="Secret">Its secret, for the receiver.</param>
    internal readonly record struct Entry(uint View, ViewSecret Secret);
}
