using System.Text.Json;

namespace QuickSilver.Dashboard.Tests;

/// <summary>Reads a stream of events as a browser does.</summary>
/// <param name="answer">The answer with the stream.</param>
internal sealed class EventReader(HttpResponseMessage answer) : IDisposable
{
    private StreamReader? _reader;

    /// <summary>The answer.</summary>
    public HttpResponseMessage Answer => answer;

    /// <summary>Reads the next event.</summary>
    /// <returns>Its kind and its data; null at the end of the stream.</returns>
    public async Task<(string Kind, JsonElement Data)?> NextAsync()
    {
        _reader ??= new StreamReader(await answer.Content.ReadAsStreamAsync());
        string kind = "";
        string data = "";
        while (await _reader.ReadLineAsync().WaitAsync(DashboardApp.Patience) is { } line)
        {
            if (line.StartsWith("event: ", StringComparison.Ordinal)) kind = line[7..];
            else if (line.StartsWith("data: ", StringComparison.Ordinal)) data = line[6..];
            else if (line.Length == 0 && data.Length > 0) return (kind, JsonElement.Parse(data));
        }
        return null;
    }

    /// <summary>Reads the next frame.</summary>
    public async Task<JsonElement> FrameAsync()
    {
        (string Kind, JsonElement Data)? next = await NextAsync();
        Assert.Equal("frame", next?.Kind);
        return next!.Value.Data;
    }

    /// <inheritdoc/>
    public void Dispose() => answer.Dispose();
}
