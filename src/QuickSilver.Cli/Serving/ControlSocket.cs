using System.Globalization;
using System.Net.Sockets;
using QuickSilver.Security;

namespace QuickSilver.Cli.Serving;

/// <summary>The place where a process that serves the membership takes commands of its user: a socket in the folder of
/// the user's own key, which nobody else may enter.</summary>
internal static class ControlSocket
{
    private const int LongestPath = 104;

    /// <summary>The path for a cluster's server at a port.</summary>
    /// <exception cref="CommandFailure">The user has no folder for it.</exception>
    public static string PathOf(int port)
    {
        if (LoopbackKey.TryFind(out string key) is { } fault)
            throw CommandFailure.Of($"There is no place for the control socket of the server: {fault}.");
        string path = Path.Combine(
            Path.GetDirectoryName(key)!, string.Create(CultureInfo.InvariantCulture, $"membership-{port}.socket"));
        if (path.Length > LongestPath)
            throw CommandFailure.Of(
                $"The path of the control socket is too long: {path}. Set XDG_STATE_HOME to a shorter one.");
        return path;
    }

    /// <summary>Asks the server.</summary>
    /// <param name="path">Its socket.</param>
    /// <param name="question">A line.</param>
    /// <param name="stop">Cancels the wait.</param>
    /// <returns>The lines of its answer; null if no process serves there.</returns>
    public static async Task<string[]?> AskAsync(string path, string question, CancellationToken stop)
    {
        if (!File.Exists(path)) return null;
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), stop).ConfigureAwait(false);
        }
        catch (SocketException)
        {
            return null; // a process that was killed has left its file
        }
        await using var stream = new NetworkStream(socket);
        await using var writer = new StreamWriter(stream);
        using var reader = new StreamReader(stream);
        await writer.WriteLineAsync(question.AsMemory(), stop).ConfigureAwait(false);
        await writer.FlushAsync(stop).ConfigureAwait(false);
        string answer = await reader.ReadToEndAsync(stop).ConfigureAwait(false);
        return answer.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
