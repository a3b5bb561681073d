using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// What a host that carries membership frames must know of them. A frame is a kind byte and a body; its length goes ahead of it and
/// is the host's business.
/// </summary>
public static class MembershipFrames
{
    /// <summary>The longest frame that either side sends, or takes, in bytes.</summary>
    public const int MaxFrameBytes = 16 << 20;

    /// <summary>
    /// The longest frame that a node sends unasked, in bytes. What it reports to a new server may be longer, up to <see cref="MaxFrameBytes"/>, but
    /// only the frame that follows the server's request.
    /// </summary>
    public const int MaxNodeFrameBytes = 1 << 20;

    /// <summary>The longest frame that a connection may begin with: before it has registered a host should take no longer one.</summary>
    public const int MaxHelloBytes = 1 << 10;

    /// <summary>True for a server's frame that asks the node for a report: the next frame from there may be long.</summary>
    public static bool IsReportRequest(ReadOnlySpan<byte> frame) => frame is [(byte)FrameKind.ReportRequest, ..];

    /// <summary>
    /// Reads the cluster's name out of the first frame of a connection, so that a host which serves several clusters can route it. Frames of other
    /// versions are read too: the server refuses them with the right reason.
    /// </summary>
    /// <returns>False when the frame is no registration, or malformed up to the name.</returns>
    public static bool TryReadHello(ReadOnlySpan<byte> frame, out string clusterName) => HelloFrame.TryReadPrefix(frame, out _, out clusterName);
}
