using System.Threading.Channels;
using Microsoft.Extensions.Logging;

namespace QuickSilver.WideArea.Diagnostics;

/// <summary>Writes log records on a pool thread, so that no logger holds the loop up. Any thread; allocates a closure
/// for each record.</summary>
internal sealed class GatewayLog : IAsyncDisposable
{
    private const int MostWaiting = 1000;

    private readonly Channel<Action<ILogger>> _records = Channel.CreateBounded<Action<ILogger>>(
        new BoundedChannelOptions(MostWaiting) { FullMode = BoundedChannelFullMode.DropWrite, SingleReader = true });
    private readonly ILogger _logger;
    private readonly Task _writing;

    public GatewayLog(ILoggerFactory factory)
    {
        _logger = factory.CreateLogger("QuickSilver.WideArea");
        _writing = Task.Run(WriteAsync);
    }

    /// <summary>Writes a record, unless a thousand wait.</summary>
    public void Post(Action<ILogger> write) => _records.Writer.TryWrite(write);

    /// <summary>Writes what waits.</summary>
    public async ValueTask DisposeAsync()
    {
        _records.Writer.TryComplete();
        await _writing.ConfigureAwait(false);
    }

    private async Task WriteAsync()
    {
        await foreach (Action<ILogger> write in _records.Reader.ReadAllAsync().ConfigureAwait(false))
        {
            try
            {
                write(_logger);
            }
            catch (Exception)
            {
                // A provider of the application threw: the gateway goes on.
                continue;
            }
        }
    }
}
