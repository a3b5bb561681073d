using System.Net.Sockets;
using System.Text;

namespace QuickSilver.Cli.Serving;

/// <summary>Answers the commands of the user at a <see cref="ControlSocket"/>: a line each, one connection after the
/// other. A caller that is silent for ten seconds is hung up on.</summary>
internal sealed class ControlServer : IAsyncDisposable
{
    private const int LongestQuestion = 2048;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private readonly string _path;
    private readonly Socket _listener;
    private readonly Func<string, CancellationToken, Task<string>> _answer;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _running;

    /// <summary>Listens.</summary>
    /// <param name="path">The path of the socket, where nothing is.</param>
    /// <param name="answer">Answers a line; does not throw but when cancelled.</param>
    /// <exception cref="SocketException">The socket cannot be made.</exception>
    public ControlServer(string path, Func<string, CancellationToken, Task<string>> answer)
    {
        _path = path;
        _answer = answer;
        _listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        _listener.Bind(new UnixDomainSocketEndPoint(path));
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        _listener.Listen(8);
        _running = Task.Run(RunAsync);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _listener.Dispose();
        File.Delete(_path);
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            using Socket caller = await _listener.AcceptAsync(_stop.Token).ConfigureAwait(false);
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
            limit.CancelAfter(Patience);
            try
            {
                if (await ReadLineAsync(caller, limit.Token).ConfigureAwait(false) is not { } question) continue;
                string answer = await _answer(question, limit.Token).ConfigureAwait(false);
                await caller.SendAsync(Encoding.UTF8.GetBytes(answer), limit.Token).ConfigureAwait(false);
            }
            catch (Exception gone) when (gone is SocketException or OperationCanceledException)
            {
                // The caller has gone, or says nothing.
            }
        }
    }

    private static async Task<string?> ReadLineAsync(Socket caller, CancellationToken stop)
    {
        byte[] line = new byte[LongestQuestion];
        for (int have = 0; have < line.Length;)
        {
            int read = await caller.ReceiveAsync(line.AsMemory(have), stop).ConfigureAwait(false);
            if (read == 0) return null;
            have += read;
            int end = line.AsSpan(0, have).IndexOf((byte)'\n');
            if (end >= 0) return Encoding.UTF8.GetString(line, 0, end).TrimEnd('\r');
        }
        return null;
    }
}
