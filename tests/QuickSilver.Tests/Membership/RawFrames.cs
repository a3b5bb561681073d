using System.Buffers.Binary;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Tests.Membership;

/// <summary>Bytes for a membership port, written without a connection of the library's.</summary>
internal static class RawFrames
{
    /// <summary>A registration, with its length ahead.</summary>
    public static byte[] Hello(string cluster, ushort port, ProtocolVersions? versions = null)
    {
        var builder = new FrameBuilder();
        var endpoint = new NetEndpoint(0x7F000001, port);
        var hello = new HelloFrame
        {
            ClusterName = cluster,
            Versions = versions ?? ProtocolVersions.Spoken,
            NodeName = "raw",
            Incarnation = 1,
            Control = endpoint,
            Data = endpoint,
        };
        hello.WriteTo(builder);
        return Frame(builder.Span);
    }

    /// <summary>A registration that names endpoints of its choice, with its length ahead.</summary>
    public static byte[] Hello(string cluster, NetEndpoint control, NetEndpoint data)
    {
        var builder = new FrameBuilder();
        var hello = new HelloFrame
        {
            ClusterName = cluster,
            NodeName = "raw",
            Incarnation = 1,
            Control = control,
            Data = data
        };
        hello.WriteTo(builder);
        return Frame(builder.Span);
    }

    /// <summary>A frame, with its length ahead.</summary>
    public static byte[] Frame(ReadOnlySpan<byte> body) => [.. Prefix(body.Length), .. body];

    /// <summary>The length that goes ahead of a frame, true or not.</summary>
    public static byte[] Prefix(int length)
    {
        byte[] prefix = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(prefix, length);
        return prefix;
    }
}
