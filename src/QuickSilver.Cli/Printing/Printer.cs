using System.Buffers;
using System.Text;
using System.Text.Json;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Cli.Printing;

/// <summary>Where a command's output goes: lines of text, or one JSON object a line. Calls may come from any thread; a
/// line is written whole. What is written waits for <see cref="Flush"/>. Once nobody reads the output any more, as
/// behind `head`, what is printed is dropped.</summary>
internal sealed class Printer : IDisposable
{
    private const int TooMuch = 1 << 16;
    private const int StandardOutput = 1;
    private const int BrokenPipe = 32; // EPIPE
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    private readonly Lock _lock = new();
    private readonly Stream _output;
    private readonly TextWriter _errors;
    private readonly ArrayBufferWriter<byte> _waiting = new();
    private readonly Utf8JsonWriter _json;
    private readonly CancellationTokenSource _closed = new();

    /// <summary>Prints to streams.</summary>
    /// <param name="output">Takes the data.</param>
    /// <param name="errors">Takes remarks and errors.</param>
    /// <param name="isJson">True for JSON.</param>
    public Printer(Stream output, TextWriter errors, bool isJson)
    {
        _output = output;
        _errors = errors;
        IsJson = isJson;
        _json = new Utf8JsonWriter(_waiting);
    }

    /// <summary>True for one JSON object a line.</summary>
    public bool IsJson { get; }

    /// <summary>True if the data goes to a terminal, which has a size and colours.</summary>
    public bool IsTerminal { get; init; }

    /// <summary>The room for a table: the terminal without its last line, which has the prompt; else endless.</summary>
    public TerminalSize Room =>
        IsTerminal && TerminalSize.Now() is var size ? size with { Height = size.Height - 1 } : TerminalSize.Endless;

    /// <summary>Cancelled once nobody reads the output any more.</summary>
    public CancellationToken Closed => _closed.Token;

    /// <summary>Prints to this process's own streams.</summary>
    public static Printer OfProcess(bool isJson) => new(OpenOutput(), Console.Error, isJson)
    {
        IsTerminal = !Console.IsOutputRedirected,
    };

    /// <inheritdoc/>
    public void Dispose()
    {
        _json.Dispose();
        _closed.Dispose();
    }

    /// <summary>Prints an item: as JSON, or its line if it has one.</summary>
    public void Print(PrintItem item)
    {
        lock (_lock)
        {
            if (IsJson)
            {
                _json.Reset();
                ItemJson.Write(_json, item);
                _json.Flush();
                EndLine();
            }
            else if (item.Line is { } line)
            {
                if (item.IsRemark) _errors.WriteLine(line);
                else
                {
                    Utf8.GetBytes(line, _waiting);
                    EndLine();
                }
            }
            if (_waiting.WrittenCount > TooMuch) FlushCore();
        }
    }

    /// <summary>Prints items as JSON, or the table of them: what fits a terminal, all of it elsewhere.</summary>
    public void Print(TextTable table, IEnumerable<PrintItem> items)
    {
        if (IsJson)
        {
            foreach (PrintItem item in items) Print(item);
            return;
        }
        foreach (string line in table.Lines(Room)) Line(line);
    }

    /// <summary>Prints what another process of the tool has told, in the form that is asked for.</summary>
    /// <param name="json">The item as JSON.</param>
    /// <param name="line">Its line; made visible here.</param>
    public void Print(string json, string line)
    {
        string text = TerminalText.Escape(IsJson ? json : line);
        lock (_lock)
        {
            Utf8.GetBytes(text, _waiting);
            EndLine();
        }
    }

    /// <summary>Prints a line of text, which has passed <see cref="TerminalText"/>; not in JSON.</summary>
    public void Line(string line)
    {
        if (IsJson) return;
        lock (_lock)
        {
            Utf8.GetBytes(line, _waiting);
            EndLine();
        }
    }

    /// <summary>Writes a control sequence of this program's own to the terminal, or a screen that has passed
    /// <see cref="TerminalText"/>.</summary>
    public void Sequence(string sequence)
    {
        lock (_lock) Utf8.GetBytes(sequence, _waiting);
    }

    /// <summary>Prints bytes and the end of a line, as they are.</summary>
    public void Raw(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            _waiting.Write(bytes);
            EndLine();
            if (_waiting.WrittenCount > TooMuch) FlushCore();
        }
    }

    /// <summary>Tells an error: a line on the error stream, an object there in JSON.</summary>
    /// <param name="message">The text; made visible here.</param>
    /// <param name="code">The exit code.</param>
    public void Error(string message, int code)
    {
        Flush();
        if (IsJson)
        {
            string text = ItemJson.ToText(new PrintItem("error").Add("exit", code).Add("message", message));
            lock (_lock) _errors.WriteLine(text);
            return;
        }
        lock (_lock) _errors.WriteLine(TerminalText.Escape(message));
    }

    /// <summary>Writes what waits.</summary>
    public void Flush()
    {
        lock (_lock) FlushCore();
    }

    // The console's own stream tells nobody that its pipe is closed. A file is left to it: its position is shared with
    // other processes.
    private static Stream OpenOutput()
    {
        if (OperatingSystem.IsWindows() || !Console.IsOutputRedirected) return Console.OpenStandardOutput();
        var handle = new SafeFileHandle(StandardOutput, ownsHandle: false);
        var pipe = new FileStream(handle, FileAccess.Write, bufferSize: 0);
        return pipe.CanSeek ? Console.OpenStandardOutput() : pipe;
    }

    private void FlushCore()
    {
        if (_waiting.WrittenCount == 0) return;
        try
        {
            if (!_closed.IsCancellationRequested)
            {
                _output.Write(_waiting.WrittenSpan);
                _output.Flush();
            }
        }
        catch (IOException fault) when (fault.HResult == BrokenPipe)
        {
            // Not under the lock: what ends for it prints too.
            _ = _closed.CancelAsync();
        }
        _waiting.ResetWrittenCount();
    }

    private void EndLine() => _waiting.Write("\n"u8);
}
