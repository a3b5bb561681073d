using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// Facts about membership frames for the host that carries them. A frame is a kind byte and a body. The host sends its
/// length ahead of it.
/// </summary>
internal static class MembershipFrames
{
    /// <summary>The longest frame that either side sends or accepts, in bytes.</summary>
    public const int MaxFrameBytes = 16 << 20;

    /// <summary>
    /// The longest unsolicited frame of a node, in bytes. A report to a new server may be longer, up to
    /// <see cref="MaxFrameBytes"/>. Only the frame that follows the server's request is a report.
    /// </summary>
    public const int MaxNodeFrameBytes = 1 << 20;

    /// <summary>
    /// The longest first frame of a connection, in bytes: a host should accept no longer one before registration.
    /// </summary>
    public const int MaxHelloBytes = 1 << 10;

    /// <summary>Creates the frame by which a server refuses a node.</summary>
    public static byte[] Refusal(MembershipRefusal reason) => reason == MembershipRefusal.WrongVersion
        ? Refusal(ProtocolVersions.Spoken)
        : [(byte)FrameKind.Expelled, (byte)reason];

    /// <summary>Creates the frame by which a server refuses a node that speaks none of some versions.</summary>
    public static byte[] Refusal(ProtocolVersions spoken) =>
        [(byte)FrameKind.Expelled, (byte)MembershipRefusal.WrongVersion, spoken.Oldest, spoken.Newest];

    /// <summary>The frame by which a host says that it serves the cluster of the node that asks.</summary>
    public static ReadOnlySpan<byte> Found => [(byte)FrameKind.Found];

    /// <summary>True for a server's frame that requests a report: the node's next frame may be long.</summary>
    public static bool IsReportRequest(ReadOnlySpan<byte> frame) => frame is [(byte)FrameKind.ReportRequest, ..];

    /// <summary>
    /// True when a frame registers a node, in any version: the server refuses other versions with the right reason.
    /// </summary>
    public static bool IsHello(ReadOnlySpan<byte> frame) => HelloFrame.IsPrefix(frame);
}
