using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Tests;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

/// <summary>Trains that go one datagram a call, and meet a full socket in their middle.</summary>
public sealed class TrainSenderTests : IDisposable
{
    private const int Datagrams = Train.MaxDatagrams;
    private const int Bytes = 100;

    private readonly string _path = Path.Combine(Path.GetTempPath(), $"qs-{Guid.NewGuid():N}");
    private readonly Socket _reader = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
    private readonly Socket _writer = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
    private readonly TrainSender _sender;

    public TrainSenderTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "such a socket is full when few datagrams are unread");
        _reader.Bind(new UnixDomainSocketEndPoint(_path));
        _reader.Blocking = false;
        _writer.Connect(new UnixDomainSocketEndPoint(_path));
        _writer.Blocking = false;
        _sender = new TrainSender(_writer, "test", segments: false, new TransportCounters(), new RecordingEvents());
    }

    [Fact]
    public void A_train_cut_short_by_a_full_socket_goes_on_from_other_memory_without_repeats()
    {
        byte[] train = TrainOf(1);
        Assert.Equal(SendOutcome.Busy, Send(train));
        List<(byte, byte)> read = ReadAll();

        byte[] copy = [.. train];
        Array.Clear(train);
        while (Send(copy) == SendOutcome.Busy) read.AddRange(ReadAll());
        read.AddRange(ReadAll());

        Assert.Equal(Enumerable.Range(0, Datagrams).Select(static index => ((byte)1, (byte)index)), read);
    }

    [Fact]
    public void Another_train_in_the_memory_of_one_cut_short_is_sent_whole()
    {
        byte[] memory = TrainOf(1);
        Assert.Equal(SendOutcome.Busy, Send(memory));
        Assert.NotEmpty(ReadAll());

        TrainOf(2).CopyTo(memory, 0);
        var read = new List<(byte, byte)>();
        while (Send(memory) == SendOutcome.Busy) read.AddRange(ReadAll());
        read.AddRange(ReadAll());

        Assert.Equal(Enumerable.Range(0, Datagrams).Select(static index => ((byte)2, (byte)index)), read);
    }

    [Fact]
    public void A_full_socket_that_is_not_connected_is_no_exception_and_allocates_nothing()
    {
        using var writer = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        writer.Blocking = false;
        using var sender = new TrainSender(
            writer, "test", segments: false, new TransportCounters(), new RecordingEvents());
        SocketAddress to = new UnixDomainSocketEndPoint(_path).Serialize();
        var train = new Train(TrainOf(1), Bytes, TrainRoute.Unicast, default(NetEndpoint), null);
        Assert.Equal(SendOutcome.Busy, sender.Send(train, to));
        var outcome = SendOutcome.Sent;
        Assert.Equal(0, AllocatedBytes.Of(() => outcome = sender.Send(train, to)));
        Assert.Equal(SendOutcome.Busy, outcome);
        List<(byte, byte)> read = ReadAll();
        while (sender.Send(train, to) == SendOutcome.Busy) read.AddRange(ReadAll());
        read.AddRange(ReadAll());
        Assert.Equal(Enumerable.Range(0, Datagrams).Select(static index => ((byte)1, (byte)index)), read);
    }

    public void Dispose()
    {
        _sender.Dispose();
        _reader.Dispose();
        File.Delete(_path);
    }

    // Each datagram says which train it is of, and its place there.
    private static byte[] TrainOf(byte id)
    {
        byte[] train = new byte[Datagrams * Bytes];
        for (int index = 0; index < Datagrams; index++)
            (train[index * Bytes], train[(index * Bytes) + 1]) = (id, (byte)index);
        return train;
    }

    private SendOutcome Send(byte[] train) =>
        _sender.Send(new Train(train, Bytes, TrainRoute.Region, default(NetEndpoint), null), null);

    private List<(byte, byte)> ReadAll()
    {
        var read = new List<(byte, byte)>();
        byte[] buffer = new byte[Bytes];
        while (_reader.Receive(buffer, SocketFlags.None, out SocketError error) > 0 && error == SocketError.Success)
            read.Add((buffer[0], buffer[1]));
        return read;
    }
}
