using System.Globalization;
using System.Net.Sockets;
using System.Text;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;

namespace QuickSilver.Cli.Serving;

/// <summary>The place where a process that serves the membership takes commands of its user: a socket in the folder of
/// the user's own key, which nobody else may enter.</summary>
internal static class ControlSocket
{
    private const int LongestPath = 104;

    // Machines may share a home, and none of them sees whether the sockets of another are in use.
    private static readonly uint Machine = Crc32C.Of(Encoding.UTF8.GetBytes(Environment.MachineName), []);

    // A younger one may be about to listen.
    private static readonly TimeSpan LeftAfter = TimeSpan.FromMinutes(1);

    /// <summary>A path for a server at a port. A user may have several at one port, at different
    /// addresses.</summary>
    /// <exception cref="CommandFailure">The user has no folder for it.</exception>
    public static string NewPath(int port)
    {
        string path = Path.Combine(Folder(), NameOf(port, Random.Shared.GetHexString(6, lowercase: true)));
        if (path.Length > LongestPath)
            throw CommandFailure.Of(
                $"The path of the control socket is too long: {path}. Set XDG_STATE_HOME to a shorter one.");
        return path;
    }

    /// <summary>Asks all servers of this user at a port for their state.</summary>
    /// <param name="port">The port.</param>
    /// <param name="stop">Cancels the wait.</param>
    /// <returns>The sockets of those that answer, with their answers: an object of JSON and a line.</returns>
    public static async Task<IReadOnlyList<(string Path, string Json, string Line)>> FindAsync(
        int port, CancellationToken stop)
    {
        var found = new List<(string, string, string)>();
        foreach (string path in Directory.EnumerateFiles(Folder(), NameOf(port, "*")))
        {
            if (await AskAsync(path, "status", stop).ConfigureAwait(false) is [var json, var line])
                found.Add((path, json, line));
        }
        return found;
    }

    /// <summary>Asks a server.</summary>
    /// <param name="path">Its socket.</param>
    /// <param name="question">A line.</param>
    /// <param name="stop">Cancels the wait.</param>
    /// <returns>The lines of its answer; null if no process serves there.</returns>
    public static async Task<string[]?> AskAsync(string path, string question, CancellationToken stop)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), stop).ConfigureAwait(false);
        }
        catch (SocketException)
        {
            // A process that was killed has left its file.
            if (DateTime.UtcNow - File.GetLastWriteTimeUtc(path) > LeftAfter) File.Delete(path);
            return null;
        }
        await using var stream = new NetworkStream(socket);
        await using var writer = new StreamWriter(stream);
        using var reader = new StreamReader(stream);
        await writer.WriteLineAsync(question.AsMemory(), stop).ConfigureAwait(false);
        await writer.FlushAsync(stop).ConfigureAwait(false);
        string answer = await reader.ReadToEndAsync(stop).ConfigureAwait(false);
        return answer.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private static string Folder() => LoopbackKey.TryFind(out string key) is { } fault
        ? throw CommandFailure.Of($"There is no place for the control socket of the server: {fault}.")
        : Path.GetDirectoryName(key)!;

    private static string NameOf(int port, string which) =>
        string.Create(CultureInfo.InvariantCulture, $"membership-{port}-{Machine:x8}-{which}.socket");
}
