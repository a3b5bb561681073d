using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>Keeps what a transport had to tell.</summary>
internal sealed class RecordingEvents : ITransportEvents
{
    public List<(int Asked, int Granted, string Remedy)> SmallBuffers { get; } = [];

    public List<string> SegmentationRefused { get; } = [];

    public List<string> MulticastUnavailable { get; } = [];

    public List<NetEndpoint> OpenFailed { get; } = [];

    public void OnReceiveBufferSmall(int askedBytes, int grantedBytes, string remedy) =>
        SmallBuffers.Add((askedBytes, grantedBytes, remedy));

    public List<long> FilesShort { get; } = [];

    public void OnFilesShort(long allowed, int needed) => FilesShort.Add(allowed);

    public void OnSegmentationRefused(string socket, string error) => SegmentationRefused.Add(socket);

    public void OnCoalescingRefused(string error)
    {
        // Old kernels have no coalescing: the tests hold without it too.
    }

    public void OnSharedMemoryRefused(string reason)
    {
        // Nothing depends on it.
    }

    public List<string> SendFailed { get; } = [];

    public void OnSendFailed(string socket, string error) => SendFailed.Add(error);

    public void OnMulticastUnavailable(string reason) => MulticastUnavailable.Add(reason);

    public void OnOpenFailed(NetEndpoint group, string error) => OpenFailed.Add(group);
}
